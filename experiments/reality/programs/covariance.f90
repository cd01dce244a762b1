! Computes a matrix by columns and writes it by rows: covariance element|column|whole SIZE
! Each element goes to its place as a record of its own; or the matrix is transposed, and each of
! its columns is a record; or all of it is one.
program covariance
  implicit none
  character(len=32) :: mode, text
  integer :: points, row, column
  real(8), allocatable :: matrix(:, :), place(:)
  call get_command_argument(1, mode)
  call get_command_argument(2, text)
  read (text, *) points
  allocate (matrix(points, points), place(points))
  do row = 1, points
    place(row) = 0.37d0*row + sin(0.11d0*row)
  end do
  do column = 1, points
    do row = 1, points
      matrix(row, column) = bessel_j0(abs(place(row) - place(column)))*(1 + 1d-3*column)
    end do
  end do
  select case (mode)
  case ('element')
    open (10, file='out', form='unformatted', access='direct', recl=8, status='replace')
    do column = 1, points
      do row = 1, points
        write (10, rec=(row - 1)*points + column) matrix(row, column)
      end do
    end do
  case ('column')
    matrix = transpose(matrix)
    open (10, file='out', form='unformatted', access='direct', recl=8*points, status='replace')
    do column = 1, points
      write (10, rec=column) matrix(:, column)
    end do
  case default
    matrix = transpose(matrix)
    open (10, file='out', form='unformatted', access='stream', status='replace')
    write (10) matrix
  end select
  close (10)
end program covariance
